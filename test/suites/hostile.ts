import { runTogether } from '../run-together.ts'

runTogether('test/hostile/*.test.ts')
