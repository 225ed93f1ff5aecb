import { runTogether } from '../run-together.ts'

runTogether('test/{browser,mautic-client,mautic-double}/*.test.ts')
