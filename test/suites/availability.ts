import { runTogether } from '../run-together.ts'

// It takes the longest. Suites start in the order of their names, and the last ones should be short.
runTogether(
  'test/{limits,queue}/*.test.ts',
  'test/processes/!(one-request-never-stops-the-others).test.ts',
)
