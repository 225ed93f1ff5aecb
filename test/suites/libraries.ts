import { runTogether } from '../run-together.ts'

runTogether('src/{cli,config,http,kit,resource,storage,twig}/**/*.test.ts')
