import { runTogether } from '../run-together.ts'

runTogether('test/{command-line,docs,operations,package,readme}/*.test.ts')
