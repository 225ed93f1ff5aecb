import { runTogether } from '../run-together.ts'

runTogether('src/mailer/**/*.test.ts')
