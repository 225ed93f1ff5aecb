import { runTogether } from '../run-together.ts'

runTogether('src/delivery/log/**/*.test.ts', 'src/queue/**/*.test.ts')
