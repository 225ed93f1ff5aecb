import { runTogether } from '../run-together.ts'

runTogether('src/delivery/*.test.ts', 'src/delivery/!(broadcasts|log|queue)/**/*.test.ts')
