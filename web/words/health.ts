import { formatNumber } from './format.ts'

/** The words of the screen of health. */
export const healthWords = {
  title: 'Health',
  checked: 'Checked',
  good: 'Everything is as it should be.',
  problems: (count: number) =>
    count === 1 ? '1 check needs attention.' : `${formatNumber(count)} checks need attention.`,
  severities: { ok: 'Good', warning: 'Warning', problem: 'Problem' },
  findings: 'Checks',
  check: 'Check',
  state: 'State',
  detail: 'What was found',
  versions: 'Versions',
  version: { mailyard: 'Mailyard', node: 'Node', database: 'Database' },
  database: 'Database',
  diskTask: 'What to do if its disk fails',
  kind: 'Kind',
  size: 'Size',
  rows: (table: string) => `Rows of ${table}, about`,
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
