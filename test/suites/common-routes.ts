import { runTogether } from '../run-together.ts'

// What the routes of all resources share.
runTogether('test/resources/*.test.ts')
