import { runTogether } from '../run-together.ts'

runTogether('test/browser/*.console.test.ts', 'test/console/[n-z]*.console.test.ts')
