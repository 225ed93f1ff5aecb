import { runTogether } from '../run-together.ts'

runTogether('test/console/*.test.ts')
