import { runTogether } from '../run-together.ts'

runTogether('src/broadcasts/broadcasts.test.ts')
