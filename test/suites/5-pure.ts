import { runTogether } from '../run-together.ts'

// Without a database.
runTogether('{src,test}/**/!(*.*).test.ts')
