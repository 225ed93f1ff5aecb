// The minimal server with the same response: `node:http`, one look-up, JSON. No authentication, encryption,
// validation, log or optional header. get.ts and get-postgres.ts compare with it. Its argument is the path of a SQLite
// file, or the URL of a PostgreSQL.
import { createServer, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import { DatabaseSync } from 'node:sqlite'
import pg from 'pg'

type Row = Record<string, unknown>
type Find = (id: number) => Row | undefined | Promise<Row | undefined>

function openFind(database: string): Find {
  if (!database.startsWith('postgres:')) {
    const statement = new DatabaseSync(database).prepare('select * from transports where id = ?')
    return (id) => statement.get(id)
  }
  const pool = new pg.Pool({ connectionString: database, max: 10 })
  const text = 'select * from bare_transports where id = $1'
  return async (id) => (await pool.query<Row>({ name: 'find', text, values: [id] })).rows[0]
}

const formatDate = (epochMs: number) => `${new Date(epochMs).toISOString().slice(0, 19)}+00:00`

const find = openFind(process.argv[2] ?? '')
const server = createServer((request, response) => {
  const id = Number(request.url?.slice(request.url.lastIndexOf('/') + 1))
  const found = find(id)
  if (found instanceof Promise) void found.then((row) => answer(response, row))
  else answer(response, found)
})

function answer(response: ServerResponse, row: Row | undefined): void {
  if (row === undefined) {
    response.writeHead(404).end()
    return
  }
  const body = JSON.stringify({
    id: Number(row['id']),
    name: row['name'],
    description: row['description'],
    mailerDsn: row['mailer_dsn'],
    testedEmailFrom: row['tested_email_from'],
    isPublished: Boolean(row['is_published']),
    dateAdded: formatDate(Number(row['date_added'])),
    dateModified: row['date_modified'] === null ? null : formatDate(Number(row['date_modified'])),
    createdBy: row['created_by'],
    modifiedBy: row['modified_by'],
  })
  response.writeHead(200, {
    'content-type': 'application/json; charset=utf-8',
    'content-length': Buffer.byteLength(body),
  })
  response.end(body)
}

server.listen(0, '127.0.0.1', () => {
  process.stdout.write(`${(server.address() as AddressInfo).port}\n`)
})
