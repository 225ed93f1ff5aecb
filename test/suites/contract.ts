import { runTogether } from '../run-together.ts'

runTogether('test/{contacts,contract,decisions,emails,openapi,templates,transports}/*.test.ts')
