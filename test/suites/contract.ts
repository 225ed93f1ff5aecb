import { runTogether } from '../run-together.ts'

runTogether('test/{contract,decisions,openapi,transports}/*.test.ts')
