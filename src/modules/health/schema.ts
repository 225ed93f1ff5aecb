import Type, { type Static } from 'typebox'
import { finding, severity } from '../../core/findings/index.ts'
import { nullable } from '../../platform/http/index.ts'

const example = {
  date: '2026-01-31T15:54:35.000Z',
  status: 'warning',
  findings: [
    {
      check: 'database',
      severity: 'ok',
      detail: 'SQLite 3.50.4.',
      fix: null,
      since: null,
      until: null,
      command: null,
      actions: [],
    },
    {
      check: 'transports',
      severity: 'problem',
      detail: '12 of 12 attempts through "Shop" failed. 421 4.3.2 Closed for now.',
      since: '2026-01-31T15:40:00+00:00',
      until: null,
      fix: 'Test it, and read why in its deliveries.',
      command: 'mailyard transports test ID; mailyard deliveries list --transport-id ID',
      actions: [{ action: 'testTransport', id: 3, name: 'Shop' }],
    },
  ],
  settings: [{ name: 'MAILYARD_PORT', value: '8080', source: 'default' }],
  versions: { mailyard: '0.1.0', node: 'v24.10.0', database: 'SQLite 3.50.4' },
  database: {
    kind: 'sqlite',
    sizeBytes: 421_888,
    rows: { deliveries: 120, contacts: 4 },
    migrations: { pending: [], newer: [] },
  },
  processes: [
    {
      id: '0b0e1f0c-5a9d-4d0e-9e43-1c2c3d4e5f60',
      host: 'mail1',
      pid: 4711,
      version: '0.1.0',
      isThis: true,
      dateStarted: '2026-01-31T15:50:00+00:00',
      lastHeartbeat: '2026-01-31T15:54:30+00:00',
    },
  ],
}

/** A Mailyard as its running process sees it. */
export const healthReport = Type.Object(
  {
    date: Type.String({ description: 'When it was examined; a report is kept for 5 seconds.' }),
    status: severity,
    findings: Type.Array(finding),
    settings: Type.Array(
      Type.Object({
        name: Type.String(),
        value: Type.String({ description: '`set` or `not set` for a secret.' }),
        source: Type.Enum(['environment', 'file', '.env', 'default']),
      }),
      { description: 'The settings in force.' },
    ),
    versions: Type.Union([
      Type.Object({
        mailyard: Type.String(),
        node: Type.String(),
        database: nullable(Type.String()),
      }),
      Type.Null(),
    ]),
    database: Type.Union([
      Type.Object({
        kind: Type.Enum(['sqlite', 'postgres']),
        sizeBytes: Type.Integer(),
        rows: Type.Record(Type.String(), Type.Integer(), {
          description: 'About how many rows the large tables have.',
        }),
        migrations: Type.Object({
          pending: Type.Array(Type.String()),
          newer: Type.Array(Type.String(), { description: 'Migrations of a newer Mailyard.' }),
        }),
      }),
      Type.Null(),
    ]),
    processes: Type.Array(
      Type.Object({
        id: Type.String(),
        host: nullable(Type.String()),
        pid: nullable(Type.Integer()),
        version: nullable(Type.String()),
        isThis: Type.Boolean({ description: 'Whether it is the one that answers.' }),
        dateStarted: nullable(Type.String()),
        lastHeartbeat: Type.String(),
      }),
      { description: 'The Mailyard processes on this database.' },
    ),
  },
  { title: 'HealthReport', examples: [example] },
)
export type HealthReport = Static<typeof healthReport>
