import { runTogether } from '../run-together.ts'

runTogether('src/relay/**/*.test.ts')
