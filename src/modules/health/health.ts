import type { Processes } from '../../core/delivery/index.ts'
import type { EmailReferences } from '../../core/emails/index.ts'
import type { Finding } from '../../core/findings/index.ts'
import {
  atMost,
  bad,
  type ConditionKind,
  type ConditionSources,
  doubtful,
  findingsFor,
  good,
} from '../../core/findings/index.ts'
import type { Caller } from '../../kit/caller.ts'
import type { Clock } from '../../kit/clock.ts'
import { readVersion } from '../../kit/read-version.ts'
import type { Config, SettingInForce } from '../../platform/config/index.ts'
import type { Keyring, MigrationState, Storage } from '../../platform/storage/index.ts'
import { examineConditions } from './conditions.ts'
import { examineAssignments } from './examine-assignments.ts'
import {
  badDatabase,
  examineClock,
  examineInstallation,
  examineKeyFile,
  examineSchema,
} from './examine-database.ts'
import { examinePorts, examineQuickAck } from './examine-network.ts'
import { examineBrakes, examineUncertain, examineWaiting } from './examine-queue.ts'
import { examineIncluded, examineTemplates } from './examine-templates.ts'
import {
  examineAllowedRecipients,
  examineDefaultTransport,
  examineDsns,
} from './examine-transports.ts'
import type { HealthReport } from './schema.ts'

export interface HealthOptions {
  config: Config
  clock: Clock
  storage: Storage
  keyring: Keyring
  delivery: Pick<ConditionSources, 'listTransports'> & {
    processes: Pick<Processes, 'list' | 'expireSilent'>
  }
  references: Pick<EmailReferences, 'read'>
  kinds: readonly ConditionKind[]
  /** Examines what other modules have. */
  examineOthers: (now: number) => Promise<Finding[]>
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

/** Examines the running process. Callers at the same time, and within some seconds, are shown of the same report what they may see. */
export class Health {
  readonly #options: HealthOptions
  #report: Promise<ExaminedReport> | undefined
  #examinedAt = 0

  constructor(options: HealthOptions) {
    this.#options = options
  }

  async examine(caller: Pick<Caller, 'brands'>): Promise<HealthReport> {
    const now = this.#options.clock.monotonic()
    if (this.#report === undefined || now - this.#examinedAt > keptMs) {
      this.#examinedAt = now
      this.#report = examine(this.#options)
    }
    return reportFor(await this.#report, caller)
  }
}

/** A report for all callers. */
type ExaminedReport = Omit<HealthReport, 'status' | 'findings'> & { findings: readonly Finding[] }

/** What is of the installation is for callers of all brands. */
function reportFor(report: ExaminedReport, caller: Pick<Caller, 'brands'>): HealthReport {
  const findings = findingsFor(report.findings, caller)
  const worst = (['problem', 'warning'] as const).find((severity) =>
    findings.some((finding) => finding.severity === severity),
  )
  const shown = { ...report, status: worst ?? ('ok' as const), findings }
  if (caller.brands === 'all') return shown
  return { ...shown, settings: [], versions: null, database: null, processes: [] }
}

async function examine(options: HealthOptions): Promise<ExaminedReport> {
  const { config, clock, reading } = options
  const [network, database] = await Promise.all([
    atMost('ports', examinePorts(config)),
    examineDatabase(options),
  ])
  const findings = [
    examineReading(reading.warnings),
    examineKeyFile(config, true),
    examineDefaultTransport(config, clock.now()),
    ...examineAllowedRecipients(config),
    ...network,
    ...database.findings,
  ]
  return {
    date: new Date(clock.now()).toISOString(),
    findings,
    settings: [...reading.settings],
    versions: { mailyard: readVersion(), node: process.version, database: database.version },
    database: database.database,
    processes: database.processes,
  }
}

function examineReading(warnings: readonly string[]): Finding {
  if (warnings.length === 0) return good('configuration', 'Every setting can be read.')
  const fix = 'Correct the name or remove it; docs/configuration.md lists all settings.'
  return doubtful('configuration', { detail: warnings.join(' '), fix })
}

type ExaminedDatabase = Pick<ExaminedReport, 'findings' | 'database' | 'processes'> & {
  version: string | null
}

async function examineDatabase(options: HealthOptions): Promise<ExaminedDatabase> {
  const { storage, clock } = options
  const { listTransports, processes } = options.delivery
  try {
    await storage.ping()
    const { kind, version, sizeBytes } = await storage.describe()
    const migrations = await options.inspectMigrations()
    const findings = [
      examineOther(examineSchema(version, migrations), migrations),
      await examineClock(storage),
      ...(await examineRecords({ ...options, listTransports, dsnsMs }, clock.now())),
      ...(await atMost('templates of emails', examineIncluded(storage, options.references))),
    ]
    const database = { kind, sizeBytes, rows: await estimateRows(storage), migrations }
    return { findings, version, database, processes: await processes.list() }
  } catch (error) {
    return { findings: [badDatabase(error)], version: null, database: null, processes: [] }
  }
}

/** What is examined of a database that has the tables of this version. */
export interface RecordSources extends ConditionSources {
  config: Pick<Config, 'mailerDsn' | 'smtpPort' | 'smtpsPort' | 'publicUrl'>
  /** Undefined without a keyring that decrypts: what is encrypted is left out. */
  keyring: Keyring | undefined
  kinds: readonly ConditionKind[]
  /** Examines what other modules have. */
  examineOthers: (now: number) => Promise<Finding[]>
  /** The time limit for trying DSNs: of many transports, only the first ones are tried. Default: none. */
  dsnsMs?: number
}

/** Examines the records of a database: those of the running process, or those that `doctor` opens. */
export async function examineRecords(sources: RecordSources, now: number): Promise<Finding[]> {
  const { storage, config, keyring, kinds, dsnsMs: timeMs } = sources
  const sealed = keyring && { storage, keyring }
  const isSmtpOpen = config.smtpPort !== undefined || config.smtpsPort !== undefined
  return [
    ...(await examineInstallation(storage, config)),
    ...(sealed ? await examineDsns(sealed, { now, timeMs }) : []),
    ...(await examineBrakes(storage)),
    ...(await examineUncertain(storage)),
    ...(await examineWaiting(storage, config)),
    ...(await examineConditions(kinds, sources, now)),
    ...(await sources.examineOthers(now)),
    ...(await examineTemplates(storage)),
    ...(await examineAssignments(storage)),
    ...(isSmtpOpen ? await atMost('quick acknowledgement', examineQuickAck(storage)) : []),
  ]
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
