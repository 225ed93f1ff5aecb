import { runTogether } from '../run-together.ts'

runTogether('test/relay/*.test.ts')
