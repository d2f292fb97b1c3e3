#!/usr/bin/env node
import 'tsx';

const { runCommand } = await import('../src/command/command.ts');
process.exitCode = await runCommand(process.argv.slice(2));
