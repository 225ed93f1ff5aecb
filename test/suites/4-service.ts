import { runTogether } from '../run-together.ts'

// A whole Mailyard on SQLite.
runTogether('{src,test}/**/*.service.test.ts')
