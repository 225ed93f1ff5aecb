import { runTogether } from '../run-together.ts'

runTogether('test/http/*.test.ts')
