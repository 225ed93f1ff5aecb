import { render } from 'preact'
import { App } from './app.tsx'
import { applyLooks } from './lib/looks.ts'

applyLooks()
const root = document.getElementById('app')
if (root !== null) render(<App />, root)
