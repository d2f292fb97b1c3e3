-- Dumps of projects create pgsodium, which few of them use. Its functions are missing here.
comment on schema pgsodium is 'A stand-in: pgsodium has no functions here';
