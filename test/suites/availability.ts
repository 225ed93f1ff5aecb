import { runTogether } from '../run-together.ts'

// It takes the longest, and suites start in the order of their names.
runTogether('test/reliability/*.test.ts')
