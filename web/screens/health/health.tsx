import { ActionButton, Button, ButtonLink } from '../../design/button.tsx'
import { Facts } from '../../design/facts.tsx'
import { Badge, Empty, HelpLink, HelpText, Notice } from '../../design/feedback.tsx'
import { Card, Page, RecordLayout, Show } from '../../design/page.tsx'
import { type Column, Table } from '../../design/table.tsx'
import { Period, Time } from '../../design/time.tsx'
import { ask, type Schema } from '../../lib/api.ts'
import { can } from '../../lib/session.ts'
import { showToast } from '../../lib/toasts.ts'
import { useFresh } from '../../lib/use-data.ts'
import { timeColumn } from '../../records/columns.tsx'
import { examine, severities, titleOfFinding } from '../../records/findings.ts'
import { senderHref } from '../../records/sender-domain.ts'
import { words } from '../../words/common.ts'
import { counted, formatBytes, formatNumber } from '../../words/format.ts'
import { mauticWords } from '../../words/mautics.ts'
import { capitalize } from '../../words/records.ts'

const text = {
  forbidden: 'Only administrators see the health of Mailyard. Ask one of them.',
  checked: 'Checked',
  good: 'Everything is as it should be.',
  problems: (count: number) => counted(count, 'check needs attention.', 'checks need attention.'),
  inOrder: 'In order',
  versions: 'Versions',
  version: { mailyard: 'Mailyard', node: 'Node', database: 'Database' },
  database: 'Database',
  kind: 'Kind',
  kinds: { sqlite: 'SQLite', postgres: 'PostgreSQL' },
  size: 'Size',
  rows: 'About how many records',
  tables: { twig_templates: 'Templates', inbox_messages: 'Captured messages' } as Readonly<
    Record<string, string>
  >,
  migrations: 'Migrations to run',
  processes: 'Processes',
  process: 'Process',
  host: 'Host',
  started: 'Started',
  heartbeat: 'Last sign of life',
  isThis: 'Answers this page',
  settings: 'Settings in force',
  setting: 'Setting',
  value: 'Value',
  source: 'From',
} as const

type Report = Schema<'HealthReport'>
type Finding = Report['findings'][number]
type Action = Finding['actions'][number]

const ranks = Object.keys(severities)
const versionNames = ['mailyard', 'node', 'database'] as const

/** What the button of a finding says, and where it leads or what it does at once. */
type Deed = { label: (name: string) => string } & (
  | { path: string }
  | { run: (id: number) => Promise<void> }
)

const open = (path: string, label = (name: string) => `Open ${name}`) => ({ path, label })

const deeds: Record<Action['action'], Deed> = {
  decideDeliveries: open('/deliveries?outcome=uncertain', () => 'Decide them'),
  openQueue: open('/queue', () => 'Open the queue'),
  openAssignments: open('/assignments', () => 'Open the assignments'),
  openTransport: open('/transports'),
  testTransport: {
    label: (name) => `Test ${name}`,
    async run(id) {
      const options = { path: { id } }
      const { body } = await ask('POST', '/api/multipleTransports/send/test/{id}', options)
      showToast(body.message, body.success ? 'good' : 'bad')
    },
  },
  openLimit: open('/limits'),
  openTemplate: open('/templates'),
  openEmail: open('/emails'),
  openMautic: open('/mautics'),
  createMauticWebhook: {
    label: (name) => `Create again: ${name}`,
    async run(id) {
      const options = { path: { id }, body: {} }
      const { body } = await ask('POST', '/api/mautics/{id}/webhook', options)
      const { warnings = [], webhook } = body
      const sentence = mauticWords.webhook.created(webhook.id, webhook.url)
      showToast([sentence, ...warnings].join(' '), warnings.length === 0 ? 'good' : 'warn')
    },
  },
  openWebhook: open('/webhooks'),
  openSender: open('/senders'),
  openDkimKey: open('/senders/keys', (name) => `Open the key of ${name}`),
  openUser: open('/access/users'),
  openOAuthClient: open('/access/clients'),
}

/** The checks of the running process, with its settings, versions, database and processes. */
export default function HealthScreen() {
  return can('*') ? (
    <Findings />
  ) : (
    <Page title={words.places.health}>
      <Empty>{text.forbidden}</Empty>
    </Page>
  )
}

function Findings() {
  const loaded = useFresh((signal) => examine({ signal }), [], 30_000)
  return (
    <Page
      title={words.places.health}
      actions={<Button onClick={loaded.reload}>{words.refresh}</Button>}
    >
      <Show loaded={loaded}>{(report) => <ReportView report={report} />}</Show>
    </Page>
  )
}

function ReportView({ report }: { report: Report }) {
  const { date, findings, settings, versions, database, processes } = report
  const faults = findings.filter(({ severity }) => severity !== 'ok').length
  const rank = ({ severity }: Finding) => ranks.indexOf(severity)
  // The worst first.
  const sorted = findings.toSorted((one, other) => rank(one) - rank(other))
  return (
    <>
      <Notice tone={severities[report.status].tone}>
        {faults === 0 ? text.good : text.problems(faults)} {text.checked} <Time iso={date} />.{' '}
        {faults > 0 && <HelpLink page="go-to-production" />}
      </Notice>
      <RecordLayout
        side={
          <>
            {versions !== null && (
              <Card title={text.versions}>
                <Facts facts={versionNames.map((name) => [text.version[name], versions[name]])} />
              </Card>
            )}
            {database !== null && <Database database={database} />}
          </>
        }
      >
        {sorted.slice(0, faults).map((finding) => (
          <FindingCard key={`${titleOfFinding(finding)} ${finding.detail}`} finding={finding} />
        ))}
        {sorted.length > faults && (
          <Card title={text.inOrder}>
            <Facts
              facts={sorted.slice(faults).map(({ check, detail }) => [capitalize(check), detail])}
            />
          </Card>
        )}
        <h2>{text.processes}</h2>
        <Table
          caption={text.processes}
          rows={processes}
          columns={processColumns}
          keyOf={({ id }) => id}
        />
      </RecordLayout>
      <details>
        <summary>{text.settings}</summary>
        <Table
          caption={text.settings}
          rows={settings}
          columns={settingColumns}
          keyOf={({ name }) => name}
        />
      </details>
    </>
  )
}

function Database({ database }: { database: NonNullable<Report['database']> }) {
  const { kind, sizeBytes, rows, migrations } = database
  return (
    <Card title={text.database} tools={<HelpLink page="if-this-disk-dies" />}>
      <Facts
        facts={[
          [text.kind, text.kinds[kind]],
          [text.size, formatBytes(sizeBytes)],
          [text.migrations, migrations.pending.join(', ')],
        ]}
      />
      <h3>{text.rows}</h3>
      <Facts
        facts={Object.entries(rows).map(([table, count]) => [
          text.tables[table] ?? capitalize(table),
          formatNumber(count),
        ])}
      />
    </Card>
  )
}

/** The most records of a finding that have buttons; more of them are a list of links. */
const buttonsMax = 2

/** What was found, and what to do about it: the first step is a button. */
function FindingCard({ finding }: { finding: Finding }) {
  const { severity, since, until, detail, fix, actions: steps } = finding
  const { tone, label } = severities[severity]
  const [sentence, ...lines] = detail.split('\n')
  const isList = steps.length > buttonsMax
  return (
    <Card
      title={titleOfFinding(finding)}
      tools={
        <span class="row">
          <span class="quiet small">
            <Period since={since} until={until} />
          </span>
          <Badge tone={tone}>{label}</Badge>
        </span>
      }
    >
      <p>
        <HelpText text={sentence ?? ''} />
      </p>
      <ul class="lines">
        {lines.map((line) => (
          <li key={line}>{line}</li>
        ))}
      </ul>
      {fix !== null && (
        <p class="quiet small">
          <HelpText text={fix} />
        </p>
      )}
      <ul class={isList ? 'lines' : 'row'}>
        {steps.map((step, index) => (
          <li key={`${step.action} ${step.id} ${step.name}`}>
            <FindingButton action={step} kind={isList || index > 0 ? 'plain' : 'normal'} />
          </li>
        ))}
      </ul>
    </Card>
  )
}

/** Does something about a finding, or leads to where it is done. */
function FindingButton({ action, kind }: { action: Action; kind: 'normal' | 'plain' }) {
  const { id, name } = action
  const deed = deeds[action.action]
  const label = deed.label(name ?? String(id))
  if ('run' in deed)
    return (
      <ActionButton kind={kind} action={() => deed.run(id ?? 0)}>
        {label}
      </ActionButton>
    )
  // A From domain has no id.
  const ofDomain = action.action === 'openSender' && name !== null ? senderHref(name) : deed.path
  return (
    <ButtonLink kind={kind} href={id === null ? ofDomain : `${deed.path}/${id}`}>
      {label}
    </ButtonLink>
  )
}

const processColumns: readonly Column<Report['processes'][number]>[] = [
  {
    label: text.process,
    kind: 'name',
    show: ({ pid, isThis }) => (
      <span class="row">
        {pid ?? words.none}
        {isThis && <Badge>{text.isThis}</Badge>}
      </span>
    ),
  },
  { label: text.host, priority: 3, show: ({ host }) => host ?? words.none },
  { label: text.version.mailyard, priority: 4, show: ({ version }) => version ?? words.none },
  timeColumn(text.started, ({ dateStarted }) => dateStarted, { priority: 2 }),
  timeColumn(text.heartbeat, ({ lastHeartbeat }) => lastHeartbeat),
]

const settingColumns: readonly Column<Report['settings'][number]>[] = [
  { label: text.setting, kind: 'name', show: ({ name }) => <code>{name}</code> },
  { label: text.value, show: ({ value }) => <span class="mono">{value}</span> },
  { label: text.source, priority: 2, show: ({ source }) => source },
]
