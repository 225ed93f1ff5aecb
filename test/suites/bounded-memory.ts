import { runTogether } from '../run-together.ts'

runTogether('test/gateway/*.test.ts', 'test/processes/one-request-never-stops-the-others.test.ts')
