import { runTogether } from '../run-together.ts'

runTogether('test/memory/*.test.ts')
