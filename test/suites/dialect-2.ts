import { runTogether } from '../run-together.ts'

runTogether('src/[n-z]*/**/*.dialect.test.ts', 'test/**/*.dialect.test.ts')
