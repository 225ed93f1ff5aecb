import { runTogether } from '../run-together.ts'

// The screens of the console without a browser, on SQLite.
runTogether('test/console/*.screen.test.ts')
