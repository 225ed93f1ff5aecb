import { after, before, mock } from 'node:test'
import { Callers } from '../src/platform/http/index.ts'

const header = 'x-test-brands'

/** Lets requests of the tests of a file come from callers with these brands only: what it returns are options of `ask`. */
export function useBrandCallers() {
  const callers = new Callers()
  before(() => {
    mock.method(Callers.prototype, 'of', (request: Parameters<Callers['find']>[0]) => {
      const brands = request.headers[header]
      const caller = callers.find(request)
      return brands === undefined ? caller : { ...caller, brands: JSON.parse(String(brands)) }
    })
  })
  after(() => mock.restoreAll())
  return (...brands: number[]) => ({ headers: { [header]: JSON.stringify(brands) } })
}
