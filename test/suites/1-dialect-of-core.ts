import { runTogether } from '../run-together.ts'

// On SQLite and on PostgreSQL: each statement of each module, and what several processes do to one database.
runTogether('src/core/**/*.dialect.test.ts')
