import type { Config, SettingInForce } from '../config/index.ts'
import type { Processes, ProcessState } from '../delivery/index.ts'
import type { Dkim } from '../dkim/index.ts'
import type { Clock } from '../kit/clock.ts'
import { readVersion } from '../kit/read-version.ts'
import type { EmailReferences } from '../messages/index.ts'
import type { Senders } from '../senders/index.ts'
import type { DatabaseKind, Keyring, MigrationState, Storage } from '../storage/index.ts'
import type { ConditionSources } from './conditions.ts'
import { badDatabase, examineClock, examineKeyFile, examineSchema } from './examine-database.ts'
import { examineDefaultTransport } from './examine-mail.ts'
import { examinePorts } from './examine-network.ts'
import { examineRecords } from './examine-records.ts'
import { examineIncluded } from './examine-templates.ts'
import { atMost, bad, doubtful, type Finding, good } from './finding.ts'

/** A Mailyard as its running process sees it. */
export interface HealthReport {
  /** When it was examined: a report is kept for some seconds. */
  date: string
  /** The worst severity of the findings. */
  status: Finding['severity']
  findings: Finding[]
  settings: SettingInForce[]
  versions: { mailyard: string; node: string; database: string | null }
  /** Null while the database does not answer. */
  database: DatabaseReport | null
  processes: ProcessState[]
}

/** The database, and how large it is. */
export interface DatabaseReport {
  kind: DatabaseKind
  sizeBytes: number
  /** About how many rows the large tables have. */
  rows: Record<string, number>
  migrations: MigrationState
}

export interface HealthOptions {
  config: Config
  clock: Clock
  storage: Storage
  keyring: Keyring
  delivery: Pick<ConditionSources, 'listTransports'> & {
    processes: Pick<Processes, 'list' | 'expireSilent'>
  }
  limits: ConditionSources['limits']
  references: Pick<EmailReferences, 'read'>
  senders: Pick<Senders, 'listUnaligned'>
  dkim: { keys: Pick<Dkim['keys'], 'listUnsigned'> }
  /** What was read at the start. */
  reading: { warnings: readonly string[]; settings: readonly SettingInForce[] }
  inspectMigrations: () => Promise<MigrationState>
}

/** How long a report is kept. */
const keptMs = 5_000
/** The time limit for trying DSNs. */
const dsnsMs = 1_000

const largeTables = [
  'deliveries',
  'contacts',
  'transports',
  'emails',
  'twig_templates',
  'inbox_messages',
  'users',
] as const

/** Examines the running process. Callers at the same time, and within some seconds, get the same report. */
export class Health {
  readonly #options: HealthOptions
  #report: Promise<HealthReport> | undefined
  #examinedAt = 0

  constructor(options: HealthOptions) {
    this.#options = options
  }

  examine(): Promise<HealthReport> {
    const now = performance.now()
    if (this.#report === undefined || now - this.#examinedAt > keptMs) {
      this.#examinedAt = now
      this.#report = examine(this.#options)
    }
    return this.#report
  }
}

async function examine(options: HealthOptions): Promise<HealthReport> {
  const { config, clock, reading } = options
  const [network, database] = await Promise.all([
    atMost('ports', examinePorts(config)),
    examineDatabase(options),
  ])
  const findings = [
    examineReading(reading.warnings),
    examineKeyFile(config, true),
    examineDefaultTransport(config, clock.now()),
    ...network,
    ...database.findings,
  ]
  const worst = (['problem', 'warning'] as const).find((severity) =>
    findings.some((finding) => finding.severity === severity),
  )
  return {
    date: new Date(clock.now()).toISOString(),
    status: worst ?? 'ok',
    findings,
    settings: [...reading.settings],
    versions: { mailyard: readVersion(), node: process.version, database: database.version },
    database: database.report,
    processes: database.processes,
  }
}

function examineReading(warnings: readonly string[]): Finding {
  if (warnings.length === 0) return good('configuration', 'Every setting can be read.')
  const fix = 'Correct the name or remove it; docs/configuration.md lists all settings.'
  return doubtful('configuration', { detail: warnings.join(' '), fix })
}

interface ExaminedDatabase {
  findings: Finding[]
  version: string | null
  report: DatabaseReport | null
  processes: ProcessState[]
}

async function examineDatabase(options: HealthOptions): Promise<ExaminedDatabase> {
  const { storage, delivery, clock } = options
  try {
    await storage.ping()
    const { kind, version, sizeBytes } = await storage.describe()
    const migrations = await options.inspectMigrations()
    const unaligned = await options.senders.listUnaligned()
    const unsigned = options.dkim.keys.listUnsigned()
    const findings = [
      examineOther(examineSchema(version, migrations), migrations),
      await examineClock(storage),
      ...(await examineRecords(
        { ...options, ...delivery, unaligned, unsigned, dsnsMs },
        clock.now(),
      )),
      ...(await atMost('templates of emails', examineIncluded(storage, options.references))),
    ]
    const report = { kind, sizeBytes, rows: await estimateRows(storage), migrations }
    return { findings, version, report, processes: await delivery.processes.list() }
  } catch (error) {
    return { findings: [badDatabase(error)], version: null, report: null, processes: [] }
  }
}

/** A newer process has changed the tables while this one runs. */
function examineOther(finding: Finding, { newer }: MigrationState): Finding {
  if (newer.length === 0) return finding
  return bad(finding.check, {
    detail: finding.detail,
    fix: 'Restart this process with the newer Mailyard.',
  })
}

async function estimateRows(storage: Storage): Promise<Record<string, number>> {
  const rows: Record<string, number> = {}
  for (const table of largeTables) rows[table] = await storage.estimateRows(table)
  return rows
}
