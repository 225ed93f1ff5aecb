// Fills a new SQLite database: `node bench/console/fill.ts sqlite:/tmp/console.db`. TRANSPORTS, DELIVERIES.
// Start Mailyard on it with the settings `apiSettings` of test/mailyard-process.ts.
import { fillDatabase } from './fill-database.ts'

const [databaseUrl] = process.argv.slice(2)
if (databaseUrl === undefined)
  throw new Error('Name a new database, such as sqlite:/tmp/console.db.')
const startedAt = performance.now()
await fillDatabase({
  databaseUrl,
  transports: Number(process.env['TRANSPORTS'] ?? 100_000),
  deliveries: Number(process.env['DELIVERIES'] ?? 1_000_000),
})
process.stdout.write(`filled in ${((performance.now() - startedAt) / 1_000).toFixed(0)} s\n`)
