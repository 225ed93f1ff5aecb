import { runTogether } from '../run-together.ts'

runTogether(
  'src/{feedback,messages,preview,routing}/**/*.test.ts',
  'src/delivery/*.test.ts',
  'src/delivery/!(log)/**/*.test.ts',
)
