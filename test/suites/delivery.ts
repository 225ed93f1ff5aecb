import { runTogether } from '../run-together.ts'

runTogether(
  'src/{messages,routing}/**/*.test.ts',
  'src/delivery/*.test.ts',
  'src/delivery/!(broadcasts|log|queue)/**/*.test.ts',
)
