import { runTogether } from '../run-together.ts'

runTogether('src/{*,!(core)/**/*}.dialect.test.ts', 'test/**/*.dialect.test.ts')
