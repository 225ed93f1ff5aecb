import type { Body } from '../../lib/api.ts'

export type TestResult = Body<'POST', '/api/multipleTransports/send/test'>
/** A stage of a test; without an outcome while it runs. */
export type Stage = Pick<TestResult['stages'][number], 'stage' | 'member'> &
  Partial<TestResult['stages'][number]>

/** Tells the stages of a test apart. */
export const keyOf = ({ stage, member }: Stage) => `${member ?? ''} ${stage}`
