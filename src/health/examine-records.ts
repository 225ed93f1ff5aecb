import type { Config } from '../config/index.ts'
import type { UnsignedCount } from '../dkim/index.ts'
import type { UnalignedSender } from '../senders/index.ts'
import type { Keyring } from '../storage/index.ts'
import { type ConditionSources, examineConditions } from './conditions.ts'
import { examineDkim } from './examine-dkim.ts'
import { examineEvents } from './examine-events.ts'
import { examineBrakes, examineDsns, examineUncertain } from './examine-mail.ts'
import { examineQuickAck } from './examine-network.ts'
import { examineSenders } from './examine-senders.ts'
import { examineSending } from './examine-sending.ts'
import { examineTemplates } from './examine-templates.ts'
import { examineWaiting } from './examine-waiting.ts'
import { atMost, type Finding } from './finding.ts'

/** What is examined of a database that has the tables of this version. */
export interface RecordSources extends ConditionSources {
  config: Pick<Config, 'mailerDsn' | 'smtpPort' | 'smtpsPort'>
  /** Undefined without a keyring that decrypts: what is encrypted is left out. */
  keyring: Keyring | undefined
  unaligned: readonly UnalignedSender[]
  /** What was sent unsigned although there is a key. */
  unsigned?: readonly UnsignedCount[]
  /** The time limit for trying DSNs: of many transports, only the first ones are tried. Default: none. */
  dsnsMs?: number
}

/** Examines the records of a database: those of the running process, or those that `doctor` opens. */
export async function examineRecords(sources: RecordSources, now: number): Promise<Finding[]> {
  const { storage, config, keyring, unaligned, unsigned, dsnsMs: timeMs } = sources
  const sealed = keyring && { storage, keyring }
  const isSmtpOpen = config.smtpPort !== undefined || config.smtpsPort !== undefined
  return [
    ...(sealed ? await examineDsns(sealed, { now, timeMs }) : []),
    ...(await examineBrakes(storage)),
    await examineUncertain(storage),
    ...(await examineWaiting(storage, config)),
    ...(await examineConditions(sources, now)),
    ...(sealed ? await examineEvents(sealed, now) : []),
    ...(sealed ? await examineDkim(sealed, now, unsigned) : []),
    ...examineSenders(unaligned),
    await examineTemplates(storage),
    ...(await examineSending(storage, now)),
    ...(isSmtpOpen ? await atMost('quick acknowledgement', examineQuickAck(storage)) : []),
  ]
}
