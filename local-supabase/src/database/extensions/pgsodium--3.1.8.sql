-- Only for dumps that create pgsodium, which few projects use: its functions do not exist here.
comment on schema pgsodium is 'A stand-in: pgsodium has no functions here';
