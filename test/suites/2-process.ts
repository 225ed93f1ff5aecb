import { runTogether } from '../run-together.ts'

// Mailyard in processes of its own: killed, without a disk or a database, installed.
runTogether('{src,test}/**/*.process.test.ts')
