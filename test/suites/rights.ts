import { runTogether } from '../run-together.ts'

runTogether('test/{oauth,permissions,rights}/*.test.ts')
