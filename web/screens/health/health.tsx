import { Button } from '../../design/button.tsx'
import { Facts } from '../../design/facts.tsx'
import { Badge, HelpLink, Notice } from '../../design/feedback.tsx'
import { Page, Show } from '../../design/page.tsx'
import { type Column, Table } from '../../design/table.tsx'
import { Time } from '../../design/time.tsx'
import { ask, type Schema } from '../../lib/api.ts'
import type { Tone } from '../../lib/toasts.ts'
import { useData } from '../../lib/use-data.ts'
import { useRepeat } from '../../lib/use-repeat.ts'
import { words } from '../../words/common.ts'
import { formatBytes, formatNumber } from '../../words/format.ts'
import { healthWords } from '../../words/health.ts'
import { transportWords } from '../../words/transports.ts'

const texts = healthWords
const intervalMs = 30_000

type Report = Schema<'HealthReport'>
type Finding = Report['findings'][number]
type Setting = Report['settings'][number]
type Process = Report['processes'][number]

const tones: Readonly<Record<Finding['severity'], Tone>> = {
  ok: 'good',
  warning: 'warn',
  problem: 'bad',
}

/** What the running process finds of its own state, with its settings, versions, database and processes. */
export function HealthScreen() {
  const loaded = useData(
    async (signal) => (await ask('GET', '/api/health/findings', { signal })).body,
    [],
  )
  useRepeat(async () => loaded.reload(), intervalMs)
  return (
    <Page title={texts.title} actions={<Button onClick={loaded.reload}>{words.refresh}</Button>}>
      <Show loaded={loaded}>{(report) => <ReportView report={report} />}</Show>
    </Page>
  )
}

function ReportView({ report }: { report: Report }) {
  const { date, findings, settings, versions, database, processes } = report
  const faults = findings.filter(({ severity }) => severity !== 'ok').length
  return (
    <>
      <Notice tone={tones[report.status]}>
        {faults === 0 ? texts.good : texts.problems(faults)} {texts.checked} <Time iso={date} />.{' '}
        {faults > 0 && <HelpLink page="go-to-production">{transportWords.list.task}</HelpLink>}
      </Notice>
      <section class="stack" aria-labelledby="findings">
        <h2 id="findings">{texts.findings}</h2>
        <Table
          caption={texts.findings}
          rows={findings.toSorted(worstFirst)}
          columns={findingColumns}
          keyOf={({ check, detail }) => `${check} ${detail}`}
        />
      </section>
      <div class="columns">
        <section class="card" aria-labelledby="versions">
          <h2 id="versions">{texts.versions}</h2>
          <Facts
            facts={[
              [texts.version.mailyard, versions.mailyard],
              [texts.version.node, versions.node],
              [texts.version.database, versions.database],
            ]}
          />
        </section>
        {database !== null && (
          <section class="card" aria-labelledby="database">
            <h2 id="database">{texts.database}</h2>
            <Facts
              facts={[
                [texts.kind, database.kind],
                [texts.size, formatBytes(database.sizeBytes)],
                ...Object.entries(database.rows).map(
                  ([table, count]) => [texts.rows(table), formatNumber(count)] as const,
                ),
                [texts.migrations, database.migrations.pending.join(', ')],
              ]}
            />
            <p>
              <HelpLink page="if-this-disk-dies">{texts.diskTask}</HelpLink>
            </p>
          </section>
        )}
      </div>
      <section class="stack" aria-labelledby="processes">
        <h2 id="processes">{texts.processes}</h2>
        <Table
          caption={texts.processes}
          rows={processes}
          columns={processColumns}
          keyOf={({ id }) => id}
        />
      </section>
      <details>
        <summary>{texts.settings}</summary>
        <Table
          caption={texts.settings}
          rows={settings}
          columns={settingColumns}
          keyOf={({ name }) => name}
        />
      </details>
    </>
  )
}

const severities = ['problem', 'warning', 'ok'] as const

function worstFirst(one: Finding, other: Finding): number {
  return severities.indexOf(one.severity) - severities.indexOf(other.severity)
}

const findingColumns: readonly Column<Finding>[] = [
  { label: texts.check, show: ({ check }) => check },
  {
    label: texts.state,
    show: ({ severity }) => <Badge tone={tones[severity]}>{texts.severities[severity]}</Badge>,
  },
  {
    label: texts.detail,
    show: ({ detail, fix }) => (
      <>
        {detail}
        {fix !== null && <p class="small">{fix}</p>}
      </>
    ),
  },
]

const processColumns: readonly Column<Process>[] = [
  {
    label: texts.process,
    show: ({ pid, isThis }) => (
      <span class="row">
        {pid ?? words.none}
        {isThis && <Badge tone="accent">{texts.isThis}</Badge>}
      </span>
    ),
  },
  { label: texts.host, show: ({ host }) => host ?? words.none },
  { label: texts.version.mailyard, show: ({ version }) => version ?? words.none },
  { label: texts.started, show: ({ dateStarted }) => <Time iso={dateStarted} /> },
  { label: texts.heartbeat, show: ({ lastHeartbeat }) => <Time iso={lastHeartbeat} /> },
]

const settingColumns: readonly Column<Setting>[] = [
  { label: texts.setting, show: ({ name }) => <code>{name}</code> },
  { label: texts.value, show: ({ value }) => <span class="mono">{value}</span> },
  { label: texts.source, show: ({ source }) => source },
]
