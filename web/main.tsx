import { render } from 'preact'
import { App } from './app.tsx'
import { applyScheme } from './lib/scheme.ts'

applyScheme()
const root = document.getElementById('app')
if (root !== null) render(<App />, root)
