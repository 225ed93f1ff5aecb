import type { DeliveryResult } from '../delivery/delivery-result.ts'
import type { StageReport } from './test-report.ts'

/** What sending one watched message through one transport showed. */
export interface Probe {
  readonly stages: readonly StageReport[]
  readonly transcript: readonly string[]
  readonly result: DeliveryResult
}
