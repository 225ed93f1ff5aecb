import { runTogether } from '../run-together.ts'

runTogether('src/delivery/{log,queue}/**/*.test.ts')
