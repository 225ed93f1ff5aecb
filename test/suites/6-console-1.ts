import { runTogether } from '../run-together.ts'

// In a browser. Two suites, so that one works while the other waits.
runTogether('test/console/[a-m]*.console.test.ts')
