import { runTogether } from '../run-together.ts'

runTogether('test/broadcasts/*.test.ts')
