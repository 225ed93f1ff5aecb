import { runTogether } from '../run-together.ts'

runTogether('test/{contacts,contract,emails,openapi,templates,transports}/*.test.ts')
