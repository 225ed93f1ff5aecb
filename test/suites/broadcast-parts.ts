import { runTogether } from '../run-together.ts'

runTogether('src/delivery/broadcasts/!(broadcasts).test.ts')
