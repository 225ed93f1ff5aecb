// The least that a server can do for the same answer: `node:http`, one look-up, JSON. No log-in, no
// encryption, no validation, no log, no header that it could leave out. The opposite of get.ts.
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { DatabaseSync } from 'node:sqlite'

const database = new DatabaseSync(process.argv[2] ?? '')
const statement = database.prepare('select * from transports where id = ?')

const formatDate = (epochMs: number) => `${new Date(epochMs).toISOString().slice(0, 19)}+00:00`

const server = createServer((request, response) => {
  const id = Number(request.url?.slice(request.url.lastIndexOf('/') + 1))
  const row = statement.get(id)
  if (row === undefined) {
    response.writeHead(404).end()
    return
  }
  const body = JSON.stringify({
    id: row['id'],
    name: row['name'],
    description: row['description'],
    mailerDsn: row['mailer_dsn'],
    testedEmailFrom: row['tested_email_from'],
    isPublished: row['is_published'] === 1,
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
})
server.listen(0, '127.0.0.1', () => {
  process.stdout.write(`${(server.address() as AddressInfo).port}\n`)
})
