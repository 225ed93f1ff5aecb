import { runTogether } from '../run-together.ts'

runTogether('test/upgrades/*.test.ts')
