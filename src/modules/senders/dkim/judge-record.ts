import { oneLine } from '../../../kit/one-line.ts'
import type { DkimKeyResult } from '../../../libraries/dns/index.ts'

/** Whether receivers can verify signatures with what DNS has. `failed`: DNS did not answer, so nothing is known. */
export interface RecordJudgement {
  state: 'usable' | 'unusable' | 'failed'
  /** What is wrong and what to do, as sentences; null for nothing. */
  problem: string | null
}

/** How much of a record a problem quotes. */
const quotedMax = 200

/** Compares what DNS has with the record of a key. */
export function judgeRecord(
  found: DkimKeyResult,
  { name, publicKey }: { name: string; publicKey: string },
): RecordJudgement {
  const unusable = (problem: string): RecordJudgement => ({ state: 'unusable', problem })
  if (found.state === 'failed')
    return {
      state: 'failed',
      problem: `The record at ${name} could not be looked up: ${found.problem}`,
    }
  if (found.state === 'absent')
    return unusable(`No TXT record was found at ${name}. Publish the one in "record".`)
  const quoted = `Found: "${oneLine(found.record, quotedMax)}".`
  if (found.state === 'invalid')
    return unusable(
      `The record at ${name} cannot be used: ${found.problem} ${quoted} Replace it with the one in "record".`,
    )
  if (found.key !== publicKey)
    return unusable(
      `The record at ${name} has another key. ${quoted} Replace it with the one in "record", or choose another selector if another system uses it.`,
    )
  const isTesting = `The record at ${name} says that the domain tests DKIM (t=y): receivers may treat its messages as unsigned. Remove t=y from it.`
  return { state: 'usable', problem: found.isTesting ? isTesting : null }
}
