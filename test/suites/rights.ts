import { runTogether } from '../run-together.ts'

runTogether('test/{auth,rights}/*.test.ts')
