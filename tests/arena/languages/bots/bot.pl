use JSON::PP;
$| = 1;
while (<STDIN>) {
    my $ask = decode_json($_);
    print qq({"type":"ready"}\n) if $ask->{type} eq "hello";
    print encode_json({id => $ask->{id}, move => $ask->{legal}[0]}), "\n" if $ask->{type} eq "ask";
}
